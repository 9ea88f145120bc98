// Follows the file: at each change the page is asked for again, and what is below "live" is put in its place.
import { localise } from "./clock.js";

const state = document.getElementById("live-state");
const hold = document.getElementById("hold");
let source;
let isBusy = false;

async function look() {
    const live = document.getElementById("live");
    const isUsed = live.contains(document.activeElement) && document.activeElement.matches("textarea, input");
    if (isBusy || isUsed || live.querySelector("details.remember[open]")) return;
    isBusy = true;
    try {
        const answer = await fetch(location.pathname, { headers: { accept: "text/html" } });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        localise(page);
        const status = page.querySelector(".live-status");
        for (const time of status.querySelectorAll("time")) document.querySelector(".live-status time").replaceWith(time);
        if (state.textContent !== page.getElementById("live-state").textContent) state.textContent = page.getElementById("live-state").textContent;
        const fresh = page.getElementById("live");
        if (fresh.innerHTML !== live.innerHTML) live.replaceChildren(...fresh.childNodes);
    } finally {
        isBusy = false;
    }
}

function follow() {
    source = new EventSource(document.getElementById("live").dataset.follow);
    for (const name of ["hello", "changed", "look"]) source.addEventListener(name, look);
}

hold.hidden = false;
hold.addEventListener("click", () => {
    const isHeld = hold.getAttribute("aria-pressed") === "true";
    hold.setAttribute("aria-pressed", String(!isHeld));
    if (isHeld) follow(); else source.close();
});
state.setAttribute("aria-live", "polite");
follow();
