// Package doctorcmd is `tutti doctor` with its words: the checks, `doctor bundle` and `doctor
// explain`. The checks themselves are package core/doctor's. cmd/tutti calls it, and
// `tutti init` runs its checks.
package doctorcmd
