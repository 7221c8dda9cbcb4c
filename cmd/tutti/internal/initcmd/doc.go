// Package initcmd is `tutti init`: it looks at the machine, asks, writes the configuration and
// shows which steps on the chain are left. It sends no transaction. Only cmd/tutti calls it.
//
// answers.go, questions.go and files.go read and write nothing: they get what the machine has and
// the answers, and return texts.
package initcmd
