// Datasette's own pages name neither their language nor the fields that filter a table; who hears a page needs both.
const NAMES = { _filter_column: "column", _filter_op: "comparison", _filter_value: "value", _sort: "sort by" };

document.documentElement.lang ||= "en";
document.querySelectorAll("form.filters :is(select, input)").forEach((field) => {
    const name = NAMES[field.name.replace(/_\d+$/, "")];
    if (name && !field.labels?.length && !field.hasAttribute("aria-label")) { field.setAttribute("aria-label", name); }
});
