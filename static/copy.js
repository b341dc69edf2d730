// A button next to each address or command that is there to be copied. Without this file, one press
// on the text selects it.
const first = (selector, within = document) => within.querySelector(selector);

function offer(address) {
  const button = document.createElement("button");
  button.type = "button";
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  said.className = "hint";
  button.textContent = address.dataset.copy || "Copy the address";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address.textContent);
      said.textContent = "Copied.";
    } catch {
      // The browser forbids it: on a site without HTTPS there is no clipboard.
      getSelection().selectAllChildren(address);
      said.textContent = "It is selected: copy it with your keyboard.";
    }
  });
  const row = document.createElement("p");
  row.className = "acts";
  row.dataset.own = ""; // lab.js leaves it here
  row.append(button, said);
  address.parentElement.after(row);
}

// A page of the lab changes in place. What was copied before is not what is there now.
function offerAll() {
  for (const row of document.querySelectorAll(".acts[data-own]")) {
    if (first("[data-copy]", row.previousElementSibling)) first("span", row).textContent = "";
    else row.remove();
  }
  for (const address of document.querySelectorAll("[data-copy]")) {
    if (address.parentElement.nextElementSibling?.dataset.own === undefined) offer(address);
  }
}
offerAll();
document.addEventListener("lab:shown", offerAll);
