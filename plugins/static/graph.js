// What a drawing is about stands in its middle: where the drawing is wider than the screen, that is seen first.
document.querySelectorAll(".drawing-frame").forEach((frame) => {
    frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
});
