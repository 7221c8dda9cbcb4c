// Package postgres gives tests a real PostgreSQL server: a private one in a temporary
// directory, started once per test process and gone after it. It is the machine's own
// where one is installed under /usr/lib/postgresql, and else the one that
// deploy/deps unpacks into the cache.
//
// PostgreSQL refuses to run as root; then it runs as nobody, or as nobody in a user
// namespace where the files are root's. Nothing shipped uses this package.
package postgres
