package backend

// The edits of a request, for the tests.
var (
	ForOpenAI = forOpenAI
	WithModel = withModel
)
