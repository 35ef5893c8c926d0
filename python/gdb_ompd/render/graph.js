/* SPDX-License-Identifier: Apache-2.0 */
/* Draws who waits for whom: dagre lays it out, here it is measured before and drawn after that. */
(function () {
  const LINE = 17, PAD = 8, FONT = "13px system-ui,sans-serif";
  const pen = document.createElement("canvas").getContext("2d");

  // Text is drawn by picture.css: a box's first line is strong there.
  function wide(text, strong) {
    pen.font = (strong ? "600 " : "") + FONT;
    return Math.ceil(pen.measureText(text).width) + 2 * PAD;
  }

  function element(kind, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    Object.entries(attributes).forEach(function (each) { made.setAttribute(each[0], each[1]); });
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function laidOut(graph) {
    const layout = new dagre.graphlib.Graph({ multigraph: true });
    layout.setGraph({ nodesep: 28, ranksep: 26, edgesep: 18, marginx: PAD, marginy: PAD });
    graph.nodes.forEach(function (node, number) {
      const width = Math.max.apply(null, node.lines.map(function (line, at) {
        return wide(line, at === 0);
      }));
      layout.setNode(String(number), { width: width, height: node.lines.length * LINE + PAD });
    });
    graph.edges.forEach(function (edge, number) {
      // What leads up to the cycle is laid out the other way round.
      const ends = edge.upward ? [edge.target, edge.waiter] : [edge.waiter, edge.target];
      const room = { width: wide(edge.text, false), height: LINE + 4, labelpos: "c" };
      layout.setEdge({ v: String(ends[0]), w: String(ends[1]), name: String(number) }, room);
    });
    dagre.layout(layout);
    return layout;
  }

  // Straight at its ends, so that an arrow points at its box, and round at its bends.
  function path(points) {
    let drawn = "M" + points[0].x + " " + points[0].y;
    for (let n = 1; n < points.length - 1; n += 1) {
      const here = points[n], next = points[n + 1], last = n === points.length - 2;
      const x = last ? next.x : (here.x + next.x) / 2, y = last ? next.y : (here.y + next.y) / 2;
      drawn += "Q" + here.x + " " + here.y + " " + x + " " + y;
    }
    return drawn;
  }

  // From the right side of a box to the same: dagre keeps room for it before the label.
  function loop(box) {
    const right = box.x + box.width / 2;
    return "M" + right + " " + (box.y - 9) + "h10q9 0 9 9q0 9 -9 9h-10";
  }

  function drawEdge(svg, edge, at, box) {
    const points = edge.upward ? at.points.slice().reverse() : at.points;
    const drawn = edge.waiter === edge.target ? loop(box) : path(points);
    const kind = edge.cycle ? "cycle" : "";
    const line = element("path", {
      class: "edge " + kind, d: drawn, "marker-end": "url(#arrow" + kind + ")",
    });
    line.append(element("title", {}, edge.title));
    svg.append(line);
  }

  function drawText(svg, text, x, y, kind) {
    svg.append(element("text", { "text-anchor": "middle", x: x, y: y, class: kind }, text));
  }

  function drawLabel(svg, edge, at) {
    svg.append(element("rect", {
      class: "label", x: at.x - at.width / 2, y: at.y - LINE / 2, width: at.width, height: LINE,
    }));
    drawText(svg, edge.text, at.x, at.y + 5, "");
  }

  function drawNode(svg, node, at) {
    const box = element("rect", {
      class: node.cycle ? "node cycle" : "node", rx: 5,
      x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width, height: at.height,
    });
    box.append(element("title", {}, node.title));
    svg.append(box);
    node.lines.forEach(function (line, number) {
      drawText(svg, line, at.x, at.y - at.height / 2 + 17 + number * LINE, number ? "" : "strong");
    });
  }

  function arrows() {
    const all = element("defs", {});
    ["", "cycle"].forEach(function (kind) {
      const marker = element("marker", {
        id: "arrow" + kind, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8,
        markerUnits: "userSpaceOnUse", orient: "auto",
      });
      marker.append(element("path", { class: kind, d: "M0 0L8 4L0 8z" }));
      all.append(marker);
    });
    return all;
  }

  function draw(place) {
    const graph = JSON.parse(place.dataset.graph);
    const layout = laidOut(graph), size = layout.graph();
    const svg = element("svg", {
      role: "img", "aria-label": "Who waits for whom", width: size.width, height: size.height,
      viewBox: "0 0 " + size.width + " " + size.height,
    });
    svg.append(arrows());
    const edges = layout.edges().map(function (ends) {
      return [graph.edges[ends.name], layout.edge(ends), layout.node(ends.v)];
    });
    edges.forEach(function (each) { drawEdge(svg, each[0], each[1], each[2]); });
    edges.forEach(function (each) { drawLabel(svg, each[0], each[1]); });
    graph.nodes.forEach(function (node, number) { drawNode(svg, node, layout.node(String(number))); });
    place.append(svg);
    place.parentNode.parentNode.querySelector("details").open = false;
  }

  document.querySelectorAll("[data-graph]").forEach(draw);
})();
