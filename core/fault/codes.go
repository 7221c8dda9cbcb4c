package fault

// Unexpected is the code of an error that carries none: our own defect.
const Unexpected Code = "Unexpected"

// Session and admission.
const (
	OrchestratorCapped       Code = "OrchestratorCapped"
	OrchestratorBusy         Code = "OrchestratorBusy"
	ErrTranscoderUnavailable Code = "ErrTranscoderUnavailable"
	Draining                 Code = "Draining"
)
