// A vote in a list does not load the page again: the form is sent as it is, and the
// server's answer holds the form that follows it, with the new count.

const status = document.createElement("p");
status.className = "unseen";
status.role = "status";
document.body.append(status);

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".meta .vote")) return;
  event.preventDefault();
  if (event.target.ariaBusy !== "true") send(event.target, event.submitter);
});

async function send(form, button) {
  form.ariaBusy = "true";
  form.parentElement.querySelector(".error")?.remove();
  try {
    // A field is named action, and hides the property.
    const response = await fetch(form.getAttribute("action"), {
      method: "POST",
      headers: { Prefer: "return=representation" },
      body: new URLSearchParams(new FormData(form, button)),
    });
    const answer = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.status === 401) signIn(refuse(form, null, { textContent: "You are not signed in any more. " }));
    else if (!response.ok) refuse(form, answer.querySelector("h1"), answer.querySelector(".lead"));
    else if (response.headers.get("Preference-Applied")) replace(form, answer.querySelector("form"));
    else location.reload(); // an older process has answered
  } catch {
    refuse(form, null, { textContent: "The site does not answer. Look at your connection, and vote again." });
  }
  form.ariaBusy = null;
}

// replace leaves the focus where it was.
function replace(form, next) {
  const focused = form.contains(document.activeElement);
  form.replaceWith(next);
  if (focused) next.querySelector("button").focus();
  status.textContent = next.dataset.said;
}

function refuse(form, title, detail) {
  const said = document.createElement("p");
  said.className = "error";
  said.role = "alert";
  form.after(said);
  said.textContent = `${title?.textContent ?? "Your vote was not counted"}. ${detail?.textContent ?? ""}`;
  return said;
}

// signIn adds a link to sign in, and so to this page again.
function signIn(said) {
  const link = document.createElement("a");
  link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
  link.textContent = "Sign in";
  said.append(link);
}
