package orchestrate

// Pause refuses new sessions and AI jobs, as the beginning of Drain does, without an
// end: what is here goes on.
func (o *Orchestrator) Pause() { o.setPhase(draining) }

// Refuse takes no segment any more, of no session; what is in hand is finished.
func (o *Orchestrator) Refuse() { o.setPhase(refusing) }

// Resume undoes Pause and Refuse. It is false when the node is stopping: that cannot
// be undone.
func (o *Orchestrator) Resume() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopping {
		return false
	}
	o.phase = open
	return true
}

// Left is what a drain waits for: sessions, and AI jobs in hand.
func (o *Orchestrator) Left() (sessions, jobs int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sessions), len(o.jobs)
}

// InProgress is how many segments and AI jobs are being worked on.
func (o *Orchestrator) InProgress() (segments, jobs int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.sessions {
		segments += s.open
	}
	return segments, len(o.jobs)
}
