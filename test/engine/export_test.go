package engine

// Open is what Start does once per process.
var Open = open

// MakeRunner is RunnerImage outside a test.
func (e *Engine) MakeRunner() (string, error) { return runnerName, e.makeRunner() }
