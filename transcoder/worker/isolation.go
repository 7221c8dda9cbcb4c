package worker

// isolation is how far the child is cut off when it is made; a system that does
// not permit one gets the next.
type isolation int

const (
	ownUserAndNet isolation = iota // user, network and IPC namespaces of its own
	ownNet                         // network and IPC namespaces, for root alone
	shared                         // none
)

// missing names the walls that the level lacks.
func (i isolation) missing() []string {
	switch i {
	case ownNet:
		return []string{"user namespace: not permitted"}
	case shared:
		return []string{"user and network namespace: not permitted"}
	}
	return nil
}
