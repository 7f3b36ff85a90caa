(() => {
  const body = document.body, root = document.documentElement, $ = (id) => document.getElementById(id);

  $("thumb").addEventListener("input", (e) => body.style.setProperty("--thumb", e.target.value + "px"));
  $("scene").addEventListener("change", (e) => { location.hash = e.target.value; });
  $("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const shows = [...document.querySelectorAll("button[data-show]")];
  for (const b of shows) b.addEventListener("click", () => {
    body.dataset.show = b.dataset.show;
    for (const o of shows) o.setAttribute("aria-pressed", String(o === b));
  });

  // The large view: left and right go through the frame's pictures, up and down through frames.
  const large = $("large"), picture = large.querySelector("img"), text = large.querySelector("p");
  let current = null;
  const open = (img) => {
    current = img;
    picture.src = img.currentSrc || img.src;
    picture.style.imageRendering = img.classList.contains("ids") ? "pixelated" : "auto";
    const frame = img.closest(".frame"), caption = img.closest("figure").querySelector("figcaption");
    text.innerHTML = "";
    const name = document.createElement("b"), more = document.createElement("small");
    name.textContent = frame.dataset.name + " · " + img.alt;
    more.textContent = "  " + [...caption.querySelectorAll("span")].map((s) => s.textContent).join(" · ");
    text.append(name, more);
    large.classList.add("open");
  };
  const close = () => { large.classList.remove("open"); if (current) current.scrollIntoView({ block: "nearest" }); current = null; };
  const visible = (frame) => [...frame.querySelectorAll("figure img")].filter((i) => getComputedStyle(i.closest("figure")).display !== "none");
  const step = (across, down) => {
    const frames = [...document.querySelectorAll(".frame")];
    let frame = current.closest(".frame"), images = visible(frame), at = images.indexOf(current);
    if (down) {
      frame = frames[frames.indexOf(frame) + down];
      if (!frame) return;
      const same = visible(frame).find((i) => i.alt === current.alt);
      if (same) open(same);
    } else if (images.length) {
      open(images[(at + across + images.length) % images.length]);
    }
  };
  document.addEventListener("click", (e) => {
    if (large.classList.contains("open")) close();
    else if (e.target.matches("figure img")) open(e.target);
  });
  document.addEventListener("keydown", (e) => {
    if (!current) return;
    const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[e.key];
    if (e.key === "Escape") close();
    else if (move) { e.preventDefault(); step(...move); }
  });
})();
