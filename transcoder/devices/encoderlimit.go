package devices

import (
	"strconv"
	"sync"

	"github.com/tuttinode/tutti/core/device"
)

// EncoderCount is what a count of a device's hardware encoders found.
type EncoderCount struct {
	// Most is how many may be open at once, 0 when no limit was found.
	Most int
	// None says that the device has none: the CPU encodes for it.
	None bool
}

// machineLimits are the limits that the GPUs of a machine share: the encoders that the
// driver permits on all consumer GPUs together, and the CPU, which encodes for GPUs
// without an encoder.
type machineLimits struct {
	mu sync.Mutex // covers the fields below
	// most is how many encoders the driver permits, 0 when no limit was found; capped
	// are the models of the GPUs on which it showed.
	most   int
	capped map[string]bool
	// sharing are the GPUs that share most, with their indices; software those for
	// which the CPU encodes.
	sharing  map[device.UUID]int
	software map[device.UUID]bool
}

func newMachineLimits() *machineLimits {
	return &machineLimits{
		capped: make(map[string]bool), sharing: make(map[device.UUID]int), software: make(map[device.UUID]bool),
	}
}

// known returns a GPU's encoders where they must not be counted: other GPUs that share
// the driver's limit have streams. A GPU of an unknown model is then taken for one
// that has the limit, too.
func (m *machineLimits) known(d device.GPU, busy func(card string) bool) (EncoderCount, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	others := 0
	used := false
	for id, index := range m.sharing {
		if id != d.UUID {
			others++
			used = used || busy(strconv.Itoa(index))
		}
	}
	if m.most == 0 || others == 0 || !used && !m.capped[d.Name] {
		return EncoderCount{}, false
	}
	return EncoderCount{Most: m.most}, true
}

// add records the result of a GPU's test or count. Of several counts of the shared limit
// the first holds: the later ones ran alongside other sessions.
func (m *machineLimits) add(d device.GPU, found EncoderCount) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sharing, d.UUID)
	delete(m.software, d.UUID)
	switch {
	case found.None:
		m.software[d.UUID] = true
	case found.Most > 0:
		if len(m.sharing) == 0 {
			m.most = found.Most
		}
		m.capped[d.Name] = true
		m.sharing[d.UUID] = d.Index
	default:
		delete(m.capped, d.Name)
	}
}

// remove removes a GPU that is not offered any more; the others share its part.
func (m *machineLimits) remove(id device.UUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sharing, id)
	delete(m.software, id)
}

// share returns a GPU's offer with its part of the shared limits.
func (m *machineLimits) share(id device.UUID, offer device.Resources) device.Resources {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.software[id] {
		// The pace was measured while the CPU did nothing else.
		offer.Cost *= float64(len(m.software))
	}
	if index, ok := m.sharing[id]; ok {
		before := 0
		for _, other := range m.sharing {
			if other < index {
				before++
			}
		}
		offer.EncoderSessions = share(m.most, len(m.sharing), before)
	}
	return offer
}

// share returns the part of a machine's encoders that the GPU has before which there are
// so many others. All have the same where that is enough for a usual stream, and what
// is left over goes to the first. Where it is not, as many GPUs as there are usual
// streams have it all, and the others take streams of a single rendition.
func share(most, cards, before int) int {
	if most/cards < renditions {
		with := max(1, most/renditions)
		if before >= with {
			return 1
		}
		cards = with
	}
	n := most / cards
	if before < most%cards {
		n++
	}
	return n
}
