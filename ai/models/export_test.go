package models

// FieldNames are the keys that the parser knows.
func FieldNames() []string {
	var out []string
	for _, f := range fields() {
		out = append(out, f.name)
	}
	return out
}

// LLMVariables are the variables of the text generation runner.
var LLMVariables = llmVariables

// Container is what Fits places.
type Container struct {
	Total   int64
	Share   float64
	Devices int
	Pinned  []string
}

// Fits reports whether containers fit on devices.
func Fits(containers []Container, devices []Device) bool {
	needs := make([]need, len(containers))
	for i, c := range containers {
		needs[i] = need{c.Total, c.Share, c.Devices, c.Pinned}
	}
	return fits(needs, devices)
}

// TakesOn is what a container takes on a device.
func TakesOn(c Container, size int64) int64 {
	return need{c.Total, c.Share, c.Devices, c.Pinned}.on(size)
}

// Extend adds a list to verified models.
func Extend(v Verified, source, content string) error {
	if problems := v.extend(source, []byte(content)); problems != nil {
		return problems
	}
	return nil
}

// ShippedJSON is the shipped list as it is in the file.
var ShippedJSON = shippedJSON
