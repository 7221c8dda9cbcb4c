// Package setup is what `tutti init` asks and writes: which question comes next for a
// role, what its default is, and what the configuration file, the files of secrets and
// the unit of a user's own say.
//
// It reads and writes nothing: it gets what the machine has, and gives back texts.
// cmd/tutti looks at the machine, asks the operator and makes the files.
package setup
