import { localise } from "./clock.js";

// Totals over a large query set take seconds: the page stands already, they are fetched and put in their place, and a
// line tells for how long they have been worked at. Without this file the link in that line leads to them.
const line = document.querySelector("#totals .measuring");

const measure = async (link) => {
    const started = Date.now();
    const text = line.firstChild.textContent;
    const bar = document.createElement("progress");
    const showSeconds = () => line.replaceChildren(bar, ` Measuring for ${Math.round((Date.now() - started) / 1000)} s: ${text}`);
    showSeconds();
    const ticking = setInterval(showSeconds, 1000);
    try {
        const answer = await fetch(link.href);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const totals = page.querySelector("#totals");
        if (!answer.ok || !totals) {
            throw new Error(`the server answered ${answer.status}`);
        }
        document.querySelector("#totals").replaceWith(totals);
    } catch (error) {
        line.replaceChildren(`Nothing was measured: ${error.message}. `, link);
    } finally {
        clearInterval(ticking);
    }
};

if (line) {
    measure(line.querySelector("a"));
}

// A job that a worker does is looked at again every second, until what it measured is there; and only while it is seen.
const LOOK_AGAIN_MS = 1000;

const lookAgain = async () => {
    const shown = document.querySelector("main .running progress");
    if (!shown) {
        return;
    }
    if (!document.hidden) {
        const answer = await fetch(location.href).catch(() => null);
        const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
        for (const id of ["totals", "replay", "data-sets"]) {
            const [now, then] = [page?.getElementById(id), document.getElementById(id)];
            if (now && then) {
                then.replaceWith(now);
                localise(now);
            } else if (page && then && id === "data-sets") {
                then.remove(); // its figures stand above now
            }
        }
        if (page && !document.querySelector("main .running")) {
            document.querySelector(".flash .message-info")?.remove(); // that it is being measured
        }
    }
    setTimeout(lookAgain, LOOK_AGAIN_MS);
};

setTimeout(lookAgain, LOOK_AGAIN_MS);
