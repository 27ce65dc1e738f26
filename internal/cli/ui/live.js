// Shows a run that goes on: asks for the page again, and puts its part in place of the old one, with what was open.
"use strict";
(() => {
  const pause = 3000, most = 10;
  let failed = 0;
  const again = () => setTimeout(look, pause);
  const look = async () => {
    if (document.hidden) { again(); return; }
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.status);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
      if (!fresh) throw new Error("no run");
      const old = document.getElementById("live");
      const inside = old.contains(document.activeElement);
      if (!inside || !("live" in fresh.dataset)) {
        for (const d of old.querySelectorAll("details[open]")) {
          const same = d.id && fresh.querySelector("#" + d.id);
          if (same) same.open = true;
        }
        old.replaceWith(document.adoptNode(fresh));
      }
      failed = 0;
      document.getElementById("lost").hidden = true;
      if (!("live" in document.getElementById("live").dataset)) return;
    } catch {
      failed++;
      document.getElementById("lost").hidden = false;
      if (failed >= most) return;
    }
    again();
  };
  again();
})();
