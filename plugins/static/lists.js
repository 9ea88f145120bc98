// On a list to browse: j for the next row, k for the one before, Enter opens it, / goes to the search box.
"use strict";
(() => {
    const items = [...document.querySelectorAll(".rows .item")];
    const hint = document.getElementById("list-keys");
    if (hint && items.length) hint.hidden = false;

    const here = () => items.indexOf(document.activeElement?.closest?.(".item") ?? null);

    const step = (by) => {
        const place = here();
        const next = items[place < 0 ? (by > 0 ? 0 : items.length - 1) : place + by];
        if (!next) return;
        next.focus({ preventScroll: true });
        next.scrollIntoView({ block: "nearest" });
    };

    const ticked = document.getElementById("ticked");
    const count = () => {
        const number = document.querySelectorAll('input[form="batch"]:checked').length;
        if (ticked) ticked.textContent = number ? `${number} selected` : "";
        if (number) document.getElementById("bulk").open = true;
    };
    document.addEventListener("change", (event) => { if (event.target.matches('input[form="batch"]')) count(); });
    if (document.querySelector('input[form="batch"]:checked')) count();

    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const field = event.target.closest("input, select, textarea");
        if (field && field.type !== "checkbox") return;
        const item = items[here()];
        if (event.key === "j" || event.key === "k") {
            step(event.key === "j" ? 1 : -1);
        } else if (event.key === "Enter" && item && event.target === item) {
            item.querySelector("a.open").click();
        } else if (event.key === "x" && item) {
            item.querySelector('input[type="checkbox"]')?.click();
        } else if (event.key === "/") {
            event.preventDefault();
            document.getElementById("q").focus();
        }
    });
})();
