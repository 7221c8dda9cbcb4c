package fault

// Codes of models and their slots at this node.
const (
	ModelNotServed Code = "ModelNotServed"
	ModelLineFull  Code = "ModelLineFull"
	ModelWaitOver  Code = "ModelWaitOver"
)
