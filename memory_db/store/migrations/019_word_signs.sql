-- Signs of a text's words beside its static vector, for comparing word by word; null where `index` has not made them.

alter table static_vectors add column word_signs blob;
