// Decides by one key each, and goes on with the next item. Without this script the same buttons send the same forms.
"use strict";

const deciding = document.getElementById("deciding");
const KEYS = { a: "accept", d: "decline", 1: "first", 2: "second", b: "both", n: "neither" };
let isSending = false;

function waitingItems() {
    return [...document.querySelectorAll("[data-item]")];
}

function currentItem() {
    return document.activeElement && document.activeElement.closest("[data-item]");
}

function go(item) {
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
}

function move(step) {
    const items = waitingItems();
    const place = items.indexOf(currentItem());
    const next = items[place < 0 ? (step > 0 ? 0 : items.length - 1) : place + step];
    if (next) {
        go(next);
    }
}

function countTicked() {
    const count = document.querySelectorAll('input[form="batch"]:checked').length;
    document.getElementById("ticked").textContent = count ? `${count} selected` : "";
}

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !"jk".includes(event.key)) {
        return;
    }
    const field = event.target.closest("input, select, textarea");
    if (field && field.type !== "checkbox") {
        return;
    }
    const item = currentItem();
    if (event.key === "j" || event.key === "k") {
        move(event.key === "j" ? 1 : -1);
    } else if (event.key === "x" && item) {
        item.querySelector('input[type="checkbox"]').click();
    } else if (event.key === "u") {
        const undo = document.getElementById("undo-last");
        if (undo) {
            undo.click();
        }
    } else if (item && Object.hasOwn(KEYS, event.key) && !isSending) {
        const button = item.querySelector(`button[name="${KEYS[event.key]}"]`);
        if (button) {
            button.click();
        }
    }
}

if (deciding) {
    deciding.addEventListener("submit", (event) => {
        if (isSending) {
            event.preventDefault();
            return;
        }
        isSending = true;
        const items = waitingItems();
        const place = items.findIndex((item) => item.dataset.item === event.submitter.value);
        const next = items[place + 1] || items[place - 1];
        deciding.elements.next.value = next ? next.dataset.item : "";
    });
    // Back from the history, the page may send again.
    window.addEventListener("pageshow", () => { isSending = false; });
    document.addEventListener("change", countTicked);
    document.addEventListener("keydown", onKey);
    document.getElementById("review-keys").hidden = false;
    countTicked();
    const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named && named.dataset.item) {
        go(named);
    }
}
