// Datasette closes every open fold of a page at any click outside of it, which is meant for its menus. What a reader
// has opened on our pages is opened again at once.
const content = document.querySelector(".memory");
let opened = [];

if (content) {
    document.addEventListener("click", () => { opened = [...content.querySelectorAll("details[open]")]; }, true);
    document.addEventListener("click", () => opened.forEach((fold) => { fold.open = true; }));
}
