package pipeline

import "github.com/tuttinode/tutti/core/inference"

// optional skips the value of a field that only the runner understands and returns its bytes. The fields of a
// chat that all servers read alike must have their form: some servers report a wrong one as a failure of
// their own, for which the gateway would blame the orchestrator and try others.
func (c *cursor) optional(op inference.Operation, key []byte) ([]byte, error) {
	start := c.skipped()
	if op != inference.Chat || c.peek() == 'n' {
		return c.value()
	}
	var err error
	switch string(key) {
	case "tools", "functions", "tool_calls":
		err = c.items(c.skipObject)
	case "tool_choice", "function_call":
		if c.peek() != '"' && c.peek() != '{' {
			return nil, c.fail("a string or an object was expected")
		}
		return c.value()
	case "response_format":
		err = c.skipObject()
	default:
		return c.value()
	}
	return c.text[start:c.pos], err
}

// skipObject skips an object.
func (c *cursor) skipObject() error {
	if c.peek() != '{' {
		return c.fail("an object was expected")
	}
	_, err := c.value()
	return err
}
