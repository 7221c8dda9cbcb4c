package fault

import "strings"

// List is several mistakes that were found together, in the order in which their
// reader should meet them. An error of its own type keeps what each one knows.
type List[E error] []E

// Error has one line per mistake.
func (l List[E]) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes one by one, so that errors.Is and errors.As see each.
func (l List[E]) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}
