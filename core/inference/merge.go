package inference

import (
	"slices"

	"github.com/tuttinode/tutti/core/capability"
)

// rank orders states by how near they are to taking jobs.
func rank(s State) int {
	return slices.Index([]State{
		Draining, Failed, Absent, Evicted,
		Pulling, Starting, Loading, Ready,
	}, s)
}

// merge adds another member's data about a model. State and related fields are those of the member
// that is closest to accepting jobs: a model that is only configured at one member does not hide
// one that is available at another.
func merge(to, s *ModelState) {
	sum := *to
	other := s
	if closerToReady(s, to) {
		sum, other = *s, to
	}
	both := to.State == Ready && s.State == Ready
	sum.Capacity = to.Capacity + s.Capacity
	sum.InUse = to.InUse + s.InUse
	// One job waits in the queues of all of them.
	sum.Waiting = max(to.Waiting, s.Waiting)
	sum.Devices = devices(to.Devices, s.Devices)
	if both {
		agree(&sum, other)
	}
	*to = sum
}

// closerToReady reports whether a model is closer to accepting jobs in one state than in another.
func closerToReady(a, b *ModelState) bool {
	if x, y := a.Offered(), b.Offered(); x != y {
		return x
	}
	return rank(a.State) > rank(b.State)
}

// agree keeps what holds at every member. What a job needs beyond that is tried: see slot.Run.
func agree(sum, other *ModelState) {
	if !capability.VersionOK(sum.RunnerVersion, other.RunnerVersion) || sum.RunnerVersion == "" {
		sum.RunnerVersion = other.RunnerVersion
	}
	if sum.RunnerVersion == "" || other.RunnerVersion == "" {
		sum.RunnerVersion = ""
	}
	if other.Context > 0 && (sum.Context == 0 || other.Context < sum.Context) {
		sum.Context = other.Context
	}
	sum.Operations = Either(sum.Operations, other.Operations)
	sum.Features = sum.Features.Both(other.Features)
}

func devices(a, b []string) []string {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
