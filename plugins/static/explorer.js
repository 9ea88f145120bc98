// Ranks the hits of a page again while weights are moved: the sum of weight times signal, and nothing else. What came of
// each hit under the weights that were asked with, the signals and the order of equal scores come with the page, and what
// a rule left out stays out. Without this script the forms do it.
"use strict";

(() => {
    const form = document.getElementById("weights-form");
    const shownList = document.querySelector('[data-ranking="shown"]');
    if (!form || !shownList) {
        return;
    }
    const SVG = "http://www.w3.org/2000/svg";
    const BAR = 1000;
    const data = JSON.parse(form.dataset.weights);
    const [BELOW, BEYOND] = data.reasons;
    const othersList = document.querySelector('[data-ranking="others"]') || makeOthers();
    const status = document.getElementById("weights-status");
    const resetButton = document.getElementById("weights-reset");
    const thresholdInput = document.getElementById("w-threshold");
    const saveForm = document.getElementById("weights-save");
    const signals = new Map(data.signals.map((name, place) => [name, { name, place, base: data.weights[place] }]));
    let threshold = data.threshold;
    let wasRanked = false;

    const hits = data.hits.map(([id, position, rank, reason, isRuledOut, repeats, values], order) => (
        { element: document.getElementById(id), order, position, rank, reason, isRuledOut, repeats, values }
    )).filter((hit) => hit.element);

    function makeOthers() {
        const list = document.createElement("ol");
        list.className = "others";
        shownList.after(list);
        return list;
    }

    // --------------------------------------------------------------- ranking

    function weights() {
        const total = [...signals.values()].reduce((sum, each) => sum + each.weight, 0);
        return data.signals.map((name) => (total > 0 ? signals.get(name).weight / total : 0));
    }

    function score(values, scaled) {
        return values.reduce((sum, value, place) => sum + value * scaled[place], 0);
    }

    // What the server made of the hits, in its order.
    function outcome() {
        const sorted = [...hits].sort((a, b) => a.position - b.position);
        return sorted.map((hit) => (
            { hit, score: score(hit.values, data.weights), place: hit.position, rank: hit.rank, reason: hit.reason }
        ));
    }

    // Which hits other weights would show, best first, and why each of the others would not be.
    function ranking(scaled, least) {
        const scored = hits.map((hit) => ({ hit, score: score(hit.values, scaled) }));
        scored.sort((a, b) => b.score - a.score || a.hit.order - b.hit.order);
        const shown = new Set();
        scored.forEach((each, place) => {
            each.place = place + 1;
            if (each.hit.isRuledOut) {
                each.reason = each.hit.reason;
            } else if (each.score < least) {
                each.reason = BELOW;
            } else if (each.hit.repeats.some((other) => shown.has(other))) {
                each.reason = each.hit.reason || "says the same as a shown hit";
            } else if (shown.size === data.limit) {
                each.reason = BEYOND;
            } else {
                shown.add(each.hit.order);
                each.rank = shown.size;
            }
        });
        return scored;
    }

    // ---------------------------------------------------------------- drawing

    // An article in the one list is an item in the other: the same children under another name.
    function recast(hit, tag) {
        const old = hit.element;
        if (old.tagName === tag) {
            return old;
        }
        const made = document.createElement(tag);
        for (const name of ["id", "data-hit", "tabindex"]) {
            made.setAttribute(name, old.getAttribute(name));
        }
        if (tag === "ARTICLE") {
            made.className = "hit";
        }
        const focused = old.contains(document.activeElement) ? document.activeElement : null;
        made.append(...old.childNodes);
        old.replaceWith(made);
        hit.element = made;
        if (focused) {
            (focused === old ? made : focused).focus({ preventScroll: true });
        }
        return made;
    }

    function drawBar(hit, scaled, total, scale) {
        const bar = hit.element.querySelector("svg.bar");
        const ground = bar.querySelector(".bar-ground");
        const title = bar.querySelector(":scope > title");
        const parts = [];
        let x = 0;
        bar.querySelectorAll("rect:not(.bar-ground)").forEach((rect) => rect.remove());
        data.signals.forEach((name, place) => {
            const part = hit.values[place] * scaled[place];
            const width = (part / scale) * BAR;
            if (width > 0.5) {
                const rect = document.createElementNS(SVG, "rect");
                rect.setAttribute("class", `fill-${data.colours[place]}`);
                rect.setAttribute("x", x.toFixed(0));
                rect.setAttribute("width", width.toFixed(0));
                const label = document.createElementNS(SVG, "title");
                label.textContent = `${name}: ${hit.values[place].toFixed(3)} × ${scaled[place].toFixed(3)} = ${part.toFixed(3)}`;
                rect.append(label);
                bar.append(rect);
                parts.push(`${name} ${part.toFixed(3)}`);
            }
            x += width;
        });
        if (title) {
            title.textContent = parts.join(", ");
            bar.insertBefore(title, ground);
        }
        bar.setAttribute("aria-label", `score ${total.toFixed(3)}`);
    }

    function chip(each, before) {
        const text = each.rank
            ? before.rank === each.rank ? "" : `now ${each.rank}, was ${before.rank || "left out"}`
            : before.rank ? `out: ${each.reason}, was ${before.rank}` : "";
        let element = each.hit.element.querySelector(".moved");
        if (!text) {
            element?.remove();
            return;
        }
        if (!element) {
            element = document.createElement("span");
            (each.hit.element.querySelector("h3, .what") || each.hit.element).append(" ", element);
        }
        const isUp = each.rank && (!before.rank || each.rank < before.rank);
        element.className = `moved ${isUp ? "up" : "down"}`;
        element.textContent = text;
    }

    function draw(scored, base, scaled) {
        const scale = Math.max(data.scale, ...scored.map((each) => each.score));
        const before = new Map(base.map((each) => [each.hit, each]));
        for (const each of scored) {
            const list = each.rank ? shownList : othersList;
            const element = recast(each.hit, each.rank ? "ARTICLE" : "LI");
            list.append(element);
            element.dataset.hit = String(each.rank || each.place);
            element.dataset.score = each.score.toFixed(6);
            element.querySelectorAll(".total").forEach((total) => { total.textContent = each.score.toFixed(3); });
            element.querySelectorAll(".rank").forEach((rank) => { rank.textContent = String(each.rank || each.place); });
            element.querySelectorAll(".reason").forEach((reason) => { 
                if (reason.textContent !== (each.reason || "")) {
                    reason.textContent = each.reason || "";
                    reason.removeAttribute("title");
                }
            });
            if (element.tagName === "LI") {
                element.value = each.place;
            }
            drawBar(each.hit, scaled, each.score, scale);
            chip(each, before.get(each.hit));
        }
        // The question itself, asked before, answers nothing: it stands last, whatever its rank.
        shownList.querySelectorAll(":scope > :has(.asked-before)").forEach((element) => shownList.append(element));
        for (const list of [shownList, othersList]) {
            list.classList.toggle("reweighted", isChanged());
        }
    }

    // ------------------------------------------------------------ what changed

    function tell(scored, base) {
        const before = new Map(base.map((each) => [each.hit, each.rank]));
        const came = scored.filter((each) => each.rank && !before.get(each.hit));
        const went = scored.filter((each) => !each.rank && before.get(each.hit));
        const moved = scored.filter((each) => each.rank && before.get(each.hit) && each.rank !== before.get(each.hit));
        if (!isChanged()) {
            return wasRanked ? "As the page came: nothing is changed." : "";
        }
        if (!came.length && !went.length && !moved.length) {
            return "No hit changes its place.";
        }
        const count = (number, one, many) => (number ? [`${number} ${number === 1 ? one : many}`] : []);
        const best = scored.find((each) => each.rank === 1);
        const first = best && before.get(best.hit) !== 1 ? [`first is now what was ${before.get(best.hit) || "left out"}`] : [];
        return [
            ...count(moved.length, "hit moved", "hits moved"),
            ...count(came.length, "came in", "came in"),
            ...count(went.length, "went out", "went out"),
            ...first,
        ].join(", ") + ".";
    }

    function isChanged() {
        return threshold !== data.threshold || [...signals.values()].some((each) => each.weight !== each.base);
    }

    function rank() {
        const scaled = weights();
        if (!scaled.some((weight) => weight > 0)) {
            status.textContent = "All weights are 0, so nothing would count. Give at least one above 0.";
            return;
        }
        const base = outcome();
        const scored = isChanged() ? ranking(scaled, threshold) : base;
        draw(scored, base, scaled);
        status.textContent = tell(scored, base);
        wasRanked = true;
        resetButton.hidden = !isChanged();
        fill(scaled);
    }

    // The shares beside the sliders, and what the form that saves would send.
    function fill(scaled) {
        for (const each of signals.values()) {
            each.share.textContent = scaled[each.place] ? `${(scaled[each.place] * 100).toFixed(0)} %` : "";
            each.row.classList.toggle("changed", each.weight !== each.base);
            if (saveForm) {
                hidden(`w.${each.name}`).value = each.number.value;
            }
        }
        if (saveForm) {
            hidden("threshold").value = thresholdInput.value;
        }
    }

    function hidden(name) {
        let input = saveForm.querySelector(`input[type=hidden][name="${name}"]`);
        if (!input) {
            input = document.createElement("input");
            input.type = "hidden";
            input.name = name;
            saveForm.append(input);
        }
        return input;
    }

    // ---------------------------------------------------------------- sliders

    // A field that still says what the page wrote stands for the exact weight, as the server takes it.
    function read(input, written, base) {
        const value = Number.parseFloat(input.value);
        return input.value === written ? base : Number.isFinite(value) && value >= 0 ? value : 0;
    }

    function addSlider(each) {
        each.number = document.getElementById(`w-${each.name}`);
        each.written = each.number.value;
        each.weight = each.base;
        each.row = each.number.closest(".slider");
        each.range = document.createElement("input");
        Object.assign(each.range, { type: "range", min: "0", max: "1", step: "0.01", value: String(each.base) });
        each.range.setAttribute("aria-label", `${each.name}, slider`);
        each.share = document.createElement("output");
        each.share.htmlFor = each.number.id;
        each.number.before(each.range);
        each.number.after(each.share);
        each.range.addEventListener("input", () => {
            each.number.value = each.range.value;
            changed(each);
        });
        each.number.addEventListener("input", () => {
            each.range.value = each.number.value;
            changed(each);
        });
    }

    function changed(each) {
        each.weight = read(each.number, each.written, each.base);
        rank();
    }

    function reset() {
        for (const each of signals.values()) {
            each.number.value = each.written;
            each.range.value = String(each.base);
            each.weight = each.base;
        }
        thresholdInput.value = thresholdInput.defaultValue;
        threshold = data.threshold;
        rank();
    }

    signals.forEach(addSlider);
    thresholdInput.addEventListener("input", () => {
        threshold = read(thresholdInput, thresholdInput.defaultValue, data.threshold);
        rank();
    });
    resetButton.addEventListener("click", reset);
    form.classList.add("ready");
    fill(weights());
})();
