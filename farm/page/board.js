'use strict';
// The page of a task's board. Everything that people wrote goes through textContent: it is never
// read as HTML.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  // A row as the page's writer lists it.
  const rows = data.rows.map((r, index) => ({
    index, rank: r[0], order: r[1], name: r[2], author: r[3], verdict: r[4], score: r[5],
    speedup: r[6], parent: r[7], base: r[8], note: r[9], failure: r[10], bins: r[11], standing: r[12],
    children: []
  }));
  for (const row of rows) if (row.base >= 0) rows[row.base].children.push(row);
  const byId = (id) => document.getElementById(id);
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
  // Scores are integers, whose last digits may stand behind a point.
  const kind = data.score;
  const number = (n) => {
    const digits = String(n).padStart(kind.decimals + 1, '0');
    const point = digits.length - kind.decimals;
    return grouped(digits.slice(0, point)) + (kind.decimals ? '.' + digits.slice(point) : '');
  };
  const scoreText = (n) => number(n) + (kind.unit ? ' ' + kind.unit : '');
  const title = kind.name[0].toUpperCase() + kind.name.slice(1);
  const signed = (n) => (n > 0 ? '+' : n < 0 ? '\u2212' : '\u00b1') + grouped(Math.abs(n));
  const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) + ' %' : '';
  const label = (row) => row.name === 'kernel' ? 'starting kernel' : row.name;

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const button = (text, act, kind) => {
    const element = make('button', { type: 'button', class: kind || '' }, text);
    element.addEventListener('click', act);
    return element;
  };

  // Cycles of a row against its parent's, and the bins that changed most.
  const change = (row) => {
    const base = row.base >= 0 ? rows[row.base] : null;
    if (!base || !row.rank || !base.rank) return null;
    const bins = data.bins.map((name, k) => ({ name, by: row.bins[k] - base.bins[k] }))
      .filter((bin) => bin.by !== 0).sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
    return { base, by: row.score - base.score, bins };
  };
  const changeText = (row) => {
    const found = change(row);
    if (!found) return '';
    const size = found.base.score ? (100 * Math.abs(found.by) / found.base.score).toFixed(1) + ' %' : number(Math.abs(found.by));
    const head = found.by < 0 ? '\u25bc ' + size + (kind.cycles ? ' fewer' : ' less') : found.by > 0 ? '\u25b2 ' + size + ' more' : kind.cycles ? '= as many' : '= as much';
    const tail = found.bins.slice(0, 2).map((bin) => bin.name + ' ' + signed(bin.by)).join(', ');
    return head + (tail ? '; ' + tail : '');
  };

  // The table.
  const columns = [
    { id: 'rank', title: 'Rank', number: true, key: (r) => r.rank || Infinity, text: (r) => r.rank ? String(r.rank) : '\u2013' },
    { id: 'cycles', title: title, number: true, key: (r) => r.rank ? (kind.more ? -r.score : r.score) : Infinity, text: (r) => r.score || r.rank ? number(r.score) : '\u2013' },
    { id: 'speedup', title: kind.cycles ? 'Speed-up' : 'Gain', number: true, key: (r) => r.speedup ? -parseFloat(r.speedup) : Infinity, text: (r) => r.speedup ? r.speedup + '\u00d7' : '\u2013' },
    { id: 'submission', title: 'Submission', key: (r) => r.order, text: label },
    { id: 'author', title: 'Author', key: (r) => r.author.toLowerCase(), text: (r) => r.author || '\u2013' },
    { id: 'verdict', title: 'Verdict', key: (r) => r.verdict, text: (r) => r.verdict },
    { id: 'parent', title: 'Built on', key: (r) => r.base >= 0 ? rows[r.base].order : r.parent ? Infinity : -1 },
    { id: 'change', title: title + ' and bins against that', key: (r) => { const c = change(r); return c ? (kind.more ? -c.by : c.by) : Infinity; }, text: changeText },
    { id: 'note', title: 'Note', key: (r) => r.note.toLowerCase(), text: (r) => { const line = r.note.trim().split('\n')[0]; return line.length > 90 ? line.slice(0, 90) + '\u2026' : line; } }
  ];
  const state = { column: 'rank', down: false, page: 0, size: 100, search: '', verdict: '', open: new Set(), found: -1 };
  let shown = rows;

  const select = () => {
    const words = state.search.toLowerCase().split(/\s+/).filter((word) => word);
    const holds = (row) => {
      if (state.verdict && row.verdict !== state.verdict) return false;
      const text = (row.name + ' ' + row.author + ' ' + row.note + ' ' + row.parent).toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const key = columns.find((column) => column.id === state.column).key;
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    shown = rows.filter(holds).map((row) => [key(row), row]);
    shown.sort((a, b) => (state.down ? -1 : 1) * compare(a[0], b[0]) || a[1].index - b[1].index);
    shown = shown.map((pair) => pair[1]);
  };
  const pages = () => Math.max(1, Math.ceil(shown.length / state.size));

  const goTo = (row) => {
    if (!shown.includes(row)) {
      state.search = state.verdict = byId('search').value = byId('verdict').value = '';
      select();
    }
    state.found = row.index;
    state.open.add(row.index);
    state.page = Math.floor(shown.indexOf(row) / state.size);
    draw();
    const line = byId('row-' + row.index);
    line.scrollIntoView({ block: 'center' });
    line.querySelector('button').focus();
  };
  const link = (row) => button(label(row), () => goTo(row), 'plain');

  const chainOf = (row) => {
    const chain = [];
    for (let at = row; at; at = at.base >= 0 ? rows[at.base] : null) chain.push(at);
    return chain;
  };
  const chainList = (row) => make('ol', { class: 'chain' }, ...chainOf(row).slice(0, 200).map((each) =>
    make('li', {}, link(each), ' by ' + (each.author || '\u2013') + (each.rank ? ', ' + scoreText(each.score) : ', ' + each.verdict) +
      (changeText(each) ? ' (' + changeText(each) + ')' : ''))));

  const binTable = (row) => {
    const found = change(row);
    const all = row.bins.reduce((sum, n) => sum + n, 0);
    const heads = ['Bin', 'Cycles of all PEs', 'Share'].concat(found ? ['Of ' + label(found.base), 'Change'] : []);
    const table = make('table', { class: 'bins' }, make('caption', { class: 'soft' }, 'Where the cycles go'),
      make('thead', {}, make('tr', {}, ...heads.map((text, k) => make('th', { scope: 'col', class: k ? 'number' : '' }, text)))));
    const body = make('tbody');
    data.bins.map((name, k) => k).filter((k) => row.bins[k] || (found && found.base.bins[k]))
      .sort((a, b) => row.bins[b] - row.bins[a]).forEach((k) => {
        const cells = [grouped(row.bins[k]), percent(row.bins[k], all)];
        if (found) cells.push(grouped(found.base.bins[k]), signed(row.bins[k] - found.base.bins[k]));
        body.append(make('tr', {}, make('th', { scope: 'row' }, data.bins[k]), ...cells.map((text) => make('td', { class: 'number' }, text))));
      });
    table.append(body);
    return table;
  };

  const more = (row) => {
    const cell = make('td', { colspan: columns.length });
    if (row.note) cell.append(make('p', { class: 'pre' }, row.note));
    if (row.standing) cell.append(make('p', { class: 'pre' }, row.standing));
    if (row.failure) cell.append(make('p', { class: 'pre' }, row.verdict + ': ' + row.failure));
    if (row.rank) cell.append(binTable(row));
    if (row.base >= 0) cell.append(make('p', {}, 'Built on, step by step:'), chainList(row));
    else if (row.parent) cell.append(make('p', {}, 'Built on ' + row.parent + ', which is not on this board.'));
    if (row.children.length) {
      const list = make('p', {}, 'Built upon by:');
      row.children.slice(0, 50).forEach((child) => list.append(' ', link(child)));
      if (row.children.length > 50) list.append(' and ' + (row.children.length - 50) + ' more');
      cell.append(list);
    }
    if (!cell.childNodes.length) cell.append('Nothing more is known.');
    return make('tr', { class: 'more' }, cell);
  };

  const line = (row) => {
    const open = state.open.has(row.index);
    const element = make('tr', { id: 'row-' + row.index, class: row.index === state.found ? 'found' : '' });
    for (const column of columns) {
      const cell = make('td', { class: column.number ? 'number' : column.id });
      if (column.id === 'submission') {
        const toggle = button((open ? '\u25be ' : '\u25b8 ') + label(row), () => {
          if (open) state.open.delete(row.index); else state.open.add(row.index);
          draw();
          byId('row-' + row.index).querySelector('button').focus();
        }, 'plain');
        toggle.setAttribute('aria-expanded', String(open));
        cell.append(toggle);
      } else if (column.id === 'parent') {
        cell.append(row.base >= 0 ? link(rows[row.base]) : row.parent || '\u2013');
      } else cell.append(column.text(row));
      element.append(cell);
    }
    return open ? [element, more(row)] : [element];
  };

  const draw = () => {
    state.page = Math.min(state.page, pages() - 1);
    for (const column of columns) {
      const sorted = column.id === state.column;
      const head = byId('head-' + column.id);
      head.setAttribute('aria-sort', sorted ? (state.down ? 'descending' : 'ascending') : 'none');
      head.firstChild.textContent = column.title + (sorted ? (state.down ? ' \u25be' : ' \u25b4') : '');
    }
    const from = state.page * state.size;
    byId('body').replaceChildren(...shown.slice(from, from + state.size).flatMap(line));
    byId('where').textContent = shown.length === 0 ? 'No submission' :
      'Submissions ' + grouped(from + 1) + ' to ' + grouped(Math.min(from + state.size, shown.length)) + ' of ' + grouped(shown.length);
    for (const id of ['first', 'previous']) byId(id).disabled = state.page === 0;
    for (const id of ['next', 'last']) byId(id).disabled = state.page === pages() - 1;
  };
  const change_view = () => { state.page = 0; state.found = -1; select(); draw(); };

  const setUpTable = () => {
    for (const column of columns) {
      const head = make('th', { id: 'head-' + column.id, scope: 'col', class: column.number ? 'number' : '' }, button(column.title, () => {
        state.down = state.column === column.id && !state.down;
        state.column = column.id;
        change_view();
      }));
      byId('head').append(head);
    }
    byId('search').addEventListener('input', (event) => { state.search = event.target.value; change_view(); });
    byId('verdict').append(...[...new Set(rows.map((row) => row.verdict))].sort().map((verdict) => make('option', { value: verdict }, verdict)));
    byId('verdict').addEventListener('change', (event) => { state.verdict = event.target.value; change_view(); });
    byId('size').addEventListener('change', (event) => { state.size = Number(event.target.value); change_view(); });
    const turn = (to) => () => { state.page = to(); draw(); };
    byId('first').addEventListener('click', turn(() => 0));
    byId('previous').addEventListener('click', turn(() => state.page - 1));
    byId('next').addEventListener('click', turn(() => state.page + 1));
    byId('last').addEventListener('click', turn(() => pages() - 1));
    select();
    draw();
  };

  // The history: scores over the order of submitting.
  const drawHistory = () => {
    const ranked = rows.filter((row) => row.rank).sort((a, b) => a.order - b.order);
    const svg = byId('history');
    if (!ranked.length) { svg.remove(); byId('records').remove(); byId('told').textContent = 'Nothing is ranked yet.'; return; }
    const records = data.records.map((k) => rows[k]);
    const part = (tag, attributes, text) => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      if (text !== undefined) element.textContent = text;
      svg.append(element);
    };
    const width = 1000, height = 340, left = 90, right = 20, top = 20, bottom = 40;
    const all = ranked.map((row) => row.score).concat(data.target ? [data.target.score] : []);
    let low = Math.max(1, all.reduce((a, b) => Math.min(a, b))), high = all.reduce((a, b) => Math.max(a, b));
    const scale = high / low > 5 ? Math.log10 : (n) => n;
    if (scale === Math.log10) { low /= 1.15; high *= 1.15; } else { const room = (high - low || low) * 0.1; low = Math.max(0, low - room); high += room; }
    const first = ranked[0].order, last = ranked[ranked.length - 1].order;
    const x = (order) => left + (width - left - right) * (last === first ? 0.5 : (order - first) / (last - first));
    const y = (score) => top + (height - top - bottom) * (1 - (scale(Math.max(low, score)) - scale(low)) / (scale(high) - scale(low)));
    const at = (row) => x(row.order).toFixed(1) + ' ' + y(row.score).toFixed(1);

    const ticks = [];
    if (scale === Math.log10) {
      for (let ten = 10 ** Math.floor(Math.log10(low)); ten <= high; ten *= 10)
        for (const m of high / low > 100 ? [1] : high / low > 30 ? [1, 3] : [1, 2, 5]) if (ten * m >= low && ten * m <= high) ticks.push(ten * m);
    } else {
      let step = 10 ** Math.floor(Math.log10(high - low));
      while ((high - low) / step < 4) step /= 2;
      if (step < 1) step = 1;
      for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
    }
    for (const tick of ticks) {
      part('path', { class: 'axis', d: 'M' + left + ' ' + y(tick).toFixed(1) + 'H' + (width - right) });
      part('text', { x: left - 8, y: (y(tick) + 4).toFixed(1), 'text-anchor': 'end' }, number(Math.round(tick)));
    }
    part('text', { x: left, y: height - 12 }, 'submission ' + first);
    if (last !== first) part('text', { x: width - right, y: height - 12, 'text-anchor': 'end' }, 'submission ' + last);
    part('text', { x: (width + left) / 2, y: height - 12, 'text-anchor': 'middle' }, 'order of submitting; ' + kind.name + (scale === Math.log10 ? ' on a logarithmic scale' : '') + (kind.more ? ', more is better' : ', less is better'));
    part('path', { class: ranked.length > 2000 ? 'dots many' : 'dots', d: ranked.map((row) => 'M' + at(row) + 'h0').join('') });
    const leader = rows[0];
    const chain = chainOf(leader).filter((row) => row.rank);
    if (chain.length > 1) part('path', { class: 'lineage', d: 'M' + chain.map(at).join('L') });
    part('path', { class: 'best', d: records.map((row, k) => k ? 'H' + x(row.order).toFixed(1) + 'V' + y(row.score).toFixed(1) : 'M' + at(row)).join('') + 'H' + (last === first ? width - right : x(last).toFixed(1)) });
    if (data.target) {
      part('path', { class: 'target', d: 'M' + left + ' ' + y(data.target.score).toFixed(1) + 'H' + (width - right) });
      part('text', { class: 'target', x: width - right - 4, y: (y(data.target.score) - 6).toFixed(1), 'text-anchor': 'end' }, 'target ' + number(data.target.score) + ': ' + data.target.label);
    }
    svg.setAttribute('aria-label', 'Best ' + kind.name + ' went from ' + number(records[0].score) + ' to ' + number(leader.score) + ' in ' + records.length + ' steps.');
    svg.addEventListener('pointermove', (event) => {
      const box = svg.getBoundingClientRect();
      const order = first + (last - first) * ((event.clientX - box.left) * width / box.width - left) / (width - left - right);
      const best = records.filter((row) => row.order <= order).pop() || records[0];
      byId('told').textContent = 'Best after submission ' + Math.min(last, Math.max(first, Math.round(order))) + ': ' + scoreText(best.score) + ', ' + label(best) + ' by ' + best.author;
    });
    byId('record-list').append(...records.map((row) => make('li', {}, link(row), ' by ' + row.author + ': ' + scoreText(row.score))));
  };

  // Who built on whom: branches are made when they are opened.
  const branch = (row) => {
    const text = ' by ' + (row.author || '\u2013') + (row.rank ? ', ' + scoreText(row.score) : ', ' + row.verdict);
    if (!row.children.length) return make('li', {}, link(row), text);
    const inner = make('details', {}, make('summary', {}, label(row) + text + ' \u2014 ' + grouped(row.children.length) + ' built on it'));
    inner.addEventListener('toggle', () => {
      if (inner.childNodes.length > 1) return;
      inner.append(make('ul', { class: 'tree' }, make('li', {}, link(row), ' in the table'), ...row.children.slice(0, 200).map(branch)));
    });
    return make('li', {}, inner);
  };
  const drawLineage = () => {
    const leader = data.leads ? rows[0] : null;
    if (leader) byId('chain').append(make('p', {}, 'The leader and what it was built on, step by step:'), chainList(leader));
    const roots = rows.filter((row) => row.base < 0 && row.children.length);
    if (roots.length) byId('chain').append(make('p', {}, 'All that others built on:'), make('ul', { class: 'tree' }, ...roots.slice(0, 200).map(branch)));
    if (!leader && !roots.length) byId('lineage').remove();
  };

  drawHistory();
  drawLineage();
  setUpTable();
  document.documentElement.setAttribute('data-ready', 'yes');
})();
