
"use strict";
(() => {
  const { rows, items } = JSON.parse(document.getElementById("data").textContent);
  const task = document.getElementById("by-task");
  const flag = document.getElementById("by-flag");
  const text = document.getElementById("by-text");
  const list = document.getElementById("list");
  const more = document.getElementById("more");
  const count = document.getElementById("count");
  const STEP = 40;
  let found = [];
  let shown = 0;

  // text from data only ever becomes text
  const element = (name, classes, words) => {
    const made = document.createElement(name);
    if (classes) made.className = classes;
    if (words !== undefined) made.textContent = words;
    return made;
  };
  const label = (place) => String.fromCharCode(65 + place);
  const state = (reply) => (reply.right === null ? "lost" : reply.right ? "right" : "wrong");
  const MARKS = { right: "✓", wrong: "✗", lost: "·" };
  const named = (row) => (row.condition === "default" ? row.name : `${row.name}, ${row.condition}`);
  const searched = items.map((item) =>
    [item.id, item.subtask, item.question, item.answer, ...item.options, ...item.replies.map((reply) => reply.text)]
      .join("\n")
      .toLowerCase(),
  );

  const replyOf = (item, reply) => {
    const made = element("div", "reply");
    const head = element("p");
    head.append(element("strong", "", named(rows[reply.row])), " ");
    let verdict = reply.status.replaceAll("_", " ");
    if (reply.right !== null) {
      verdict = reply.right ? "right" : "wrong";
      if (reply.value !== 0 && reply.value !== 100) verdict += `, ${reply.value} % of the highest grade`;
    }
    head.append(element("span", state(reply), `${MARKS[state(reply)]} ${verdict}`));
    made.append(head);
    const notes = [];
    if (reply.label) {
      const moved = reply.place !== null && label(reply.place) !== reply.label;
      const option = reply.place !== null && item.options[reply.place];
      notes.push(`chose ${reply.label}${moved ? ` (as released: ${label(reply.place)})` : ""}${option ? `: ${option}` : ""}`);
    }
    if (reply.rule) notes.push(`read by: ${reply.rule}`);
    if (reply.error) notes.push(reply.error);
    if (notes.length) made.append(element("p", "quiet", notes.join(" · ")));
    made.append(element("blockquote", "", reply.text || "(no reply)"));
    return made;
  };

  const fill = (made, item) => {
    if (item.options.length) {
      const options = element("ol");
      item.options.forEach((option, place) => options.append(element("li", place === item.gold ? "gold" : "", option)));
      made.append(options);
    }
    if (item.answer && !(item.gold >= 0)) made.append(element("p", "", `Reference: ${item.answer}`));
    if (item.question) made.append(element("p", "quiet", `id ${item.id}`));
    item.replies.forEach((reply) => made.append(replyOf(item, reply)));
  };

  const itemOf = (item) => {
    const made = element("details", "item");
    const summary = element("summary");
    const marks = element("span", "marks");
    const tally = { right: 0, wrong: 0, lost: 0 };
    item.replies.forEach((reply) => {
      tally[state(reply)] += 1;
      const mark = element("span", state(reply), MARKS[state(reply)]);
      mark.title = named(rows[reply.row]);
      mark.setAttribute("aria-hidden", "true");
      marks.append(mark);
    });
    marks.append(element("span", "hidden", `${tally.right} right, ${tally.wrong} wrong, ${tally.lost} not scored. `));
    summary.append(marks, element("span", "title", item.question || item.id));
    summary.append(element("span", "where", [item.title, item.task, item.subtask].filter((part, place, all) => part && all.indexOf(part) === place).join(" / ")));
    made.append(summary);
    made.addEventListener("toggle", () => made.childElementCount === 1 && fill(made, item));
    return made;
  };

  const showMore = () => {
    const first = list.childElementCount;
    found.slice(shown, shown + STEP).forEach((item) => list.append(itemOf(item)));
    shown = Math.min(found.length, shown + STEP);
    more.hidden = shown >= found.length;
    count.textContent = `${found.length} of ${items.length} questions${shown < found.length ? `, the first ${shown} shown` : ""}`;
    return list.children[first];
  };
  const filter = () => {
    const words = text.value.trim().toLowerCase();
    found = items.filter(
      (item, place) =>
        (!task.value || `${item.benchmark}/${item.task}` === task.value) &&
        (!flag.value || item.flags.includes(flag.value)) &&
        (!words || searched[place].includes(words)),
    );
    list.replaceChildren();
    shown = 0;
    showMore();
  };
  [task, flag].forEach((control) => control.addEventListener("change", filter));
  text.addEventListener("input", filter);
  more.addEventListener("click", () => showMore()?.querySelector("summary").focus());
  document.querySelectorAll("[data-hides]").forEach((box) =>
    box.addEventListener("change", () => {
      document.getElementById(box.dataset.hides).hidden = !box.checked;
    }),
  );
  filter();
})();
