package capability

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Compatible reports whether an offer satisfies a request.
func Compatible(request, offer *Capabilities) bool { return Mismatch(request, offer) == "" }

// Mismatch says why an offer does not satisfy a request, for logs and people;
// it is "" when it does.
//
// A nil request is satisfied by nothing. A nil offer stands for a node that
// sent no capabilities: it has those that every node had before capabilities
// existed. Models are compared only for capabilities that both sides name: an
// offer that names no models of a capability may have any. Capacities are not compared.
func Mismatch(request, offer *Capabilities) string {
	if request == nil {
		return "the request has no capabilities"
	}
	if offer == nil {
		return missing(request.Bits, Legacy())
	}
	if low := request.Constraints.MinVersion; !VersionOK(low, offer.Version) {
		return fmt.Sprintf("version %.64q is below %.64q", offer.Version, low)
	}
	if why := missing(offer.Mandatory, request.Bits); why != "" {
		return "the offer demands more: " + why
	}
	if why := models(request.Constraints.PerCapability, offer.Constraints.PerCapability); why != "" {
		return why
	}
	return missing(request.Bits, offer.Bits)
}

// missing says what of need is not in have, or "".
func missing(need, have Set) string {
	if need.In(have) {
		return ""
	}
	const named = 4
	ids := need.Missing(have, named+1)
	if len(ids) == 0 {
		return fmt.Sprintf("bit string of %d words is longer than %d", len(need), len(have))
	}
	var texts []string
	for _, id := range ids[:min(len(ids), named)] {
		texts = append(texts, id.String())
	}
	if len(ids) > named {
		texts = append(texts, "…")
	}
	return "missing " + strings.Join(texts, ", ")
}

// models compares constraints per capability. Keys are taken in order, so that
// the same pair always gets the same answer.
func models(request, offer map[ID]Models) string {
	for _, id := range slices.Sorted(maps.Keys(request)) {
		have, ok := offer[id]
		if !ok {
			continue
		}
		need := request[id]
		for _, name := range slices.Sorted(maps.Keys(need)) {
			if why := model(need[name], have, name); why != "" {
				return fmt.Sprintf("%s: model %.128q %s", id, name, why)
			}
		}
	}
	return ""
}

func model(need Model, offered Models, name string) string {
	have, ok := offered[name]
	switch {
	case !ok:
		return "is not offered"
	case need.Warm && !have.Warm:
		return "is not warm"
	case !VersionOK(need.RunnerVersion, have.RunnerVersion):
		return fmt.Sprintf("runs on version %.64q, below %.64q", have.RunnerVersion, need.RunnerVersion)
	}
	return ""
}
