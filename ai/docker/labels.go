package docker

// Labels of our containers. The first two are those of the existing node, so that either
// node recognizes leftovers of the other.
const (
	labelCreator  = "creator"
	labelOwner    = "creator_id"
	labelPipeline = "pipeline"
	labelModel    = "model"

	creator = "ai-worker"
)

// ours reports whether a container with these labels may be removed by this
// node: an AI worker made it, and it carries this node's owner or none at all. Nodes without an
// address have the same owner; they are told apart by their keys, if they have one.
func (e *Engine) ours(labels map[string]string) bool {
	if labels[labelCreator] != creator {
		return false
	}
	owner, marked := labels[labelOwner]
	if node := labels[labelNode]; node != "" && e.owner == "" && marked {
		return owner == "" && node == e.node()
	}
	return !marked || owner == e.owner
}
