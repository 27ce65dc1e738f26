package database

import "context"

// NonDefault are the global variables that the statement lists, as name and value, without secrets:
// those that differ from the server's own defaults (engine.Facts.NonDefault). It fails on a server
// that does not report them.
func (s *Server) NonDefault(ctx context.Context, statement string) (map[string]string, error) {
	all, err := s.pairs(ctx, statement)
	for name := range secret {
		delete(all, name)
	}
	return all, err
}
