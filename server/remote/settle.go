package remote

// Settle hands over a result for a task whatever else of it is being read, for a sender
// that knows that nothing will come of that. It is false when nobody waits for the task,
// or it is another's.
func (t *Tasks[R]) Settle(id TaskID, from string, r R) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.open[id]
	if k == nil || k.owner != from {
		return false
	}
	delete(t.open, id)
	k.result <- r
	return true
}
