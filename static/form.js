// What every form for text can do, loaded by app.js. Without it the form works too.

// Show how many characters are left, once few are. The server counts code points;
// maxlength would count UTF-16 units. A screen reader is told when the typing pauses,
// not at every key.
const said = document.createElement("p");
said.className = "unseen";
said.role = "status";
function count(control) {
  control.dataset.counted = "";
  const limit = Number(control.dataset.limit);
  const counter = document.createElement("p");
  counter.className = "counter";
  counter.id = `${control.id}-counter`;
  control.after(counter);
  control.setAttribute("aria-describedby", [control.getAttribute("aria-describedby"), counter.id].filter(Boolean).join(" "));
  document.body.append(said);
  const show = () => {
    const left = limit - [...control.value].length;
    counter.hidden = left > Math.min(limit / 5, 200);
    counter.classList.toggle("over", left < 0);
    counter.textContent = left < 0 ? `${-left} too many` : `${left} left`;
  };
  let pause;
  control.addEventListener("input", () => {
    show();
    clearTimeout(pause);
    pause = setTimeout(() => { said.textContent = counter.hidden ? "" : counter.textContent; }, 1000);
  });
  show();
}

// A preview shows below its form what the page of it says, which is for another tab else.
function preview(button) {
  button.dataset.counted = "";
  const place = document.createElement("section");
  place.setAttribute("aria-label", "Preview");
  const heading = document.createElement("h2");
  heading.textContent = "Preview";
  place.className = "preview";
  place.tabIndex = -1;
  button.querySelector(".unseen").remove();
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(button.form));
    const reply = await fetch(button.formAction, { method: "POST", body }).then((answer) => answer.text()).catch(() => "");
    const page = new DOMParser().parseFromString(reply, "text/html");
    place.replaceChildren(heading, ...page.querySelector("main .body")?.children ?? ["There is no preview, because the server does not answer."]);
    button.form.after(place);
    place.focus();
  });
}

// A form that comes back refused is another one.
function prepare() {
  document.querySelectorAll("[data-limit]:not([data-counted])").forEach(count);
  document.querySelectorAll("button[formaction]:not([data-counted])").forEach(preview);
}
document.addEventListener("form:new", prepare);
prepare();
