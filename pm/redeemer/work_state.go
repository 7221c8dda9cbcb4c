package redeemer

// workState says whether work on an object is due and whether it runs. A change that
// arrives while the work runs makes it due again afterwards.
type workState int

const (
	workIdle workState = iota
	workDue
	workRunning
	workRunningDue
)

// request makes the work due.
func (s *workState) request() {
	switch *s {
	case workIdle:
		*s = workDue
	case workRunning:
		*s = workRunningDue
	}
}

// begin starts the work, which covers all requests so far.
func (s *workState) begin() { *s = workRunning }

// end ends the work. Requests that arrived meanwhile stay.
func (s *workState) end() {
	if *s == workRunningDue {
		*s = workDue
		return
	}
	*s = workIdle
}

// due reports whether work was requested and does not run.
func (s workState) due() bool { return s == workDue }

func (s workState) running() bool { return s == workRunning || s == workRunningDue }
