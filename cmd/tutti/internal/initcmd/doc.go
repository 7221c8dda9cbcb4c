// Package initcmd is `tutti init`: it looks at the machine, asks, writes the configuration and
// shows which steps on the chain are left. It sends no transaction. Only cmd/tutti calls it.
package initcmd
