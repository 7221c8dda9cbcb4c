package worker

// isolation is how far the child is cut off when it is made; a system that does
// not permit one gets the next.
type isolation int

const (
	otherUser   isolation = iota // all that there is, and another user in its user namespace
	ownUser                      // user, network, IPC and mount namespaces of its own
	ownUserOnly                  // the same without mounts
	ownMounts                    // network, IPC and mount namespaces, for root only
	ownNet                       // network and IPC namespaces, for root only
	shared                       // none
)

// separation is what a level has of its own.
type separation struct {
	user, network, mounts bool
	// other: the child may become another user. Where the node is root that takes a
	// namespace that has one, or none.
	other bool
}

func (i isolation) separation() separation {
	switch i {
	case otherUser:
		return separation{user: true, network: true, mounts: true, other: true}
	case ownUser:
		return separation{user: true, network: true, mounts: true}
	case ownUserOnly:
		return separation{user: true, network: true}
	case ownMounts:
		return separation{network: true, mounts: true, other: true}
	case ownNet:
		return separation{network: true, other: true}
	}
	return separation{other: true}
}
