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

// Extend adds a list to verified models.
func Extend(v Verified, source, content string) error {
	if problems := v.extend(source, []byte(content)); problems != nil {
		return problems
	}
	return nil
}

// ShippedJSON is the shipped list as it is in the file.
var ShippedJSON = shippedJSON

// MemoryOn returns the memory that a container of the entry allocates on a device of size bytes:
// its part of VRAM, or the share configured for the text generation runner if that is more.
// 0 is unknown.
func (e *Entry) MemoryOn(size int64) int64 {
	if e.External() {
		return 0
	}
	return e.need().Takes.On(Device{MemoryBytes: size})
}
