// Writes stored times in the reader's zone; the UTC stays on hover. Without this script a page says UTC.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = number => String(number).padStart(2, "0");

const local = at => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

export function localise(root) {
    for (const element of root.querySelectorAll("time[data-clock]")) {
        const at = new Date(element.dateTime);
        if (Number.isNaN(at.getTime())) continue;
        const minute = `${local(at)} ${two(at.getHours())}:${two(at.getMinutes())}`;
        const weekday = at.toLocaleDateString("en", { weekday: "short" });
        element.textContent = { day: local(at), weekday: `${weekday} ${minute}` }[element.dataset.clock] || minute;
        delete element.dataset.clock;
    }
    for (const element of root.querySelectorAll("[data-zone]")) element.textContent = zone;
}

localise(document);
