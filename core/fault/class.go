package fault

// String returns the class in the words of documents and logs.
func (c Class) String() string {
	switch c {
	case Internal:
		return "internal"
	case BadRequest:
		return "bad request"
	case Unauthenticated:
		return "unauthenticated"
	case Forbidden:
		return "forbidden"
	case NotFound:
		return "not found"
	case Busy:
		return "busy"
	case Payment:
		return "payment"
	case Upstream:
		return "upstream"
	case Config:
		return "configuration"
	}
	return "unknown"
}

// Class returns the class that the table gives the code, Internal for an unknown one.
func (c Code) Class() Class {
	row, _ := Lookup(c)
	return row.Class
}

// ClassOf returns the class of err's outermost fault, Internal for an error without one.
func ClassOf(err error) Class { return CodeOf(err).Class() }

// Retryable says whether the same request may succeed elsewhere or later.
// Errors without a code are taken as retryable: the cause is ours, not the
// request's.
func Retryable(err error) bool {
	row, _ := Lookup(CodeOf(err))
	return row.Retryable
}
