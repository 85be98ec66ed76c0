/** Items in groups, in their order, each as large as it may be; one that is larger is alone. No items are no group. */
export function splitBySize<Item>(items: readonly Item[], sizeOf: (item: Item) => number, sizeMax: number): Item[][] {
  const groups: Item[][] = [];
  let group: Item[] = [];
  let room = sizeMax;
  for (const item of items) {
    const size = sizeOf(item);
    if (size > room && group.length > 0) {
      groups.push(group);
      [group, room] = [[], sizeMax];
    }
    group.push(item);
    room -= size;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
