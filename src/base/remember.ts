// Maps of limited size. The entry that was set longest ago is forgotten first.

/** Sets an entry, and forgets the oldest ones where there are more than `max`. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}
