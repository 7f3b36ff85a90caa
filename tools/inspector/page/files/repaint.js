// Lets modules that draw parts of the pictures ask for all of it anew.

let paint = () => {};
export const repaint = () => paint();
export const setRepaint = (f) => { paint = f; };
