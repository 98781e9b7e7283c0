// Tells about the mark that is pointed at, and lets the arrow keys go from mark to
// mark so that the tab key passes all of them in one step. Without this script the
// browser shows the titles itself. (No ampersand or less-than in here: the page is
// well-formed XML, too.)
(function () {
	"use strict";
	var tip = document.getElementById("tip");
	document.querySelectorAll("figure svg").forEach(function (svg) {
		var marks = Array.from(svg.querySelectorAll(".m[tabindex]")).reverse(); // drawn last, first series
		marks.forEach(function (m, i) {
			var title = m.querySelector("title");
			m.setAttribute("aria-label", title.textContent);
			title.remove(); // or the browser shows it over ours
			if (i) m.setAttribute("tabindex", "-1");
		});
		function show(m) {
			tip.textContent = m.getAttribute("aria-label");
			tip.hidden = false;
			var at = m.querySelector(".solid").getBoundingClientRect();
			var x = at.left + at.width / 2 - tip.offsetWidth / 2;
			var y = at.top - tip.offsetHeight - 8;
			if (0 > y) y = at.bottom + 8;
			tip.style.left = Math.max(6, Math.min(x, document.documentElement.clientWidth - tip.offsetWidth - 6)) + "px";
			tip.style.top = y + "px";
		}
		function mark(e) { return e.target.closest ? e.target.closest(".m[tabindex]") : null; }
		function rest() {
			var m = document.activeElement;
			if (marks.includes(m)) show(m); else tip.hidden = true;
		}
		svg.addEventListener("pointerover", function (e) { var m = mark(e); if (m) show(m); });
		svg.addEventListener("pointerout", rest);
		svg.addEventListener("focusin", function (e) {
			var m = mark(e);
			if (!m) return;
			marks.forEach(function (o) { o.setAttribute("tabindex", o === m ? "0" : "-1"); });
			show(m);
		});
		svg.addEventListener("focusout", function () { tip.hidden = true; });
		svg.addEventListener("keydown", function (e) {
			var i = marks.indexOf(document.activeElement), to = null;
			if (0 > i) return;
			if (e.key === "ArrowRight" || e.key === "ArrowDown") to = marks[Math.min(i + 1, marks.length - 1)];
			if (e.key === "ArrowLeft" || e.key === "ArrowUp") to = marks[Math.max(i - 1, 0)];
			if (e.key === "Home") to = marks[0];
			if (e.key === "End") to = marks[marks.length - 1];
			if (e.key === "Escape") tip.hidden = true;
			if (!to) return;
			e.preventDefault();
			to.focus();
			show(to);
		});
		window.addEventListener("scroll", rest, { passive: true });
	});
})();
