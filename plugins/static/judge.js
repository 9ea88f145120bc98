// Judges hits without loading the page again, and by one key each. Without this script the same buttons send the form.
"use strict";

const form = document.getElementById("judging");
const status = document.getElementById("judging-status");
const SAID = { relevant: "relevant", not_relevant: "not relevant", undo: "taken back" };
const KEYS = { r: "relevant", n: "not_relevant" };
let lastJudged = null;
let sending = Promise.resolve();

function visibleHits() {
    return [...document.querySelectorAll("[data-hit]")].filter((hit) => hit.getClientRects().length);
}

function currentHit() {
    return document.activeElement && document.activeElement.closest("[data-hit]");
}

function button(hit, name) {
    return hit.querySelector(`button[name="${name}"]`);
}

function isJudged(hit) {
    return Boolean(hit && hit.querySelector('button[aria-pressed="true"]'));
}

function move(step) {
    const hits = visibleHits();
    const place = hits.indexOf(currentHit());
    const next = hits[place < 0 ? (step > 0 ? 0 : hits.length - 1) : place + step];
    if (next) {
        next.focus({ preventScroll: true });
        next.scrollIntoView({ block: "nearest" });
    }
}

function show(hit, verdict) {
    for (const name of Object.values(KEYS)) {
        button(hit, name).setAttribute("aria-pressed", String(name === verdict));
    }
    hit.querySelectorAll('button[name="undo"], .said-by').forEach((element) => element.remove());
    if (verdict !== "undo") {
        const undo = button(hit, "relevant").cloneNode();
        undo.name = undo.textContent = "undo";
        undo.removeAttribute("aria-pressed");
        button(hit, "not_relevant").after(undo);
    }
    lastJudged = verdict === "undo" ? null : hit;
}

async function send(pressed) {
    const hit = pressed.closest("[data-hit]");
    const fields = new URLSearchParams(new FormData(form));
    fields.append(pressed.name, pressed.value);
    try {
        const response = await fetch(form.action + ".json", { method: "POST", body: fields });
        const answer = await response.json().catch(() => ({ error: "the server refused it; load the page again" }));
        if (!response.ok) {
            status.textContent = `Not noted: ${answer.error}`;
            return;
        }
        show(hit, pressed.name);
        const judged = answer.hits.filter((each) => each.by_hand).length;
        status.textContent = `Hit ${hit.dataset.hit}: ${SAID[pressed.name]}. ${judged} judged.`;
        if (!currentHit()) {
            hit.focus({ preventScroll: true });
        }
    } catch {
        status.textContent = "Not noted: the server does not answer.";
    }
}

// One after the other: keys may be faster than the server, and the last word on a hit has to win.
function enqueue(pressed) {
    sending = sending.then(() => send(pressed));
}

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) {
        return;
    }
    if (event.key === "j" || event.key === "k") {
        move(event.key === "j" ? 1 : -1);
        return;
    }
    const hit = event.key === "u" && !isJudged(currentHit()) ? lastJudged : currentHit();
    const pressed = hit && button(hit, event.key === "u" ? "undo" : KEYS[event.key]);
    if (pressed) {
        enqueue(pressed);
    }
}

if (form) {
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        enqueue(event.submitter);
    });
    document.addEventListener("keydown", onKey);
    document.getElementById("judging-keys").hidden = false;
}
