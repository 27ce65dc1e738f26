package experiment

import "github.com/assay-bench/assay/api/v1alpha1"

// CheckExternal refuses an external target that the tool cannot reach, or only with a risk that its user has not taken. The
// field is that of the target. A refusal has the reason InvalidSpec.
func (w Work) CheckExternal(field string, e *v1alpha1.ExternalTarget) error {
	switch {
	case e.JDBC != nil && !w.Tool.Connection.JDBC:
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s.jdbc: %s does not speak JDBC: use the workload ycsb, or give the host of a server of the MySQL family",
			field, w.Tool.Name)
	case e.JDBC == nil && w.Tool.Connection.SkipsVerification && !e.InsecureSkipVerify:
		return Refuse(v1alpha1.ReasonInvalidSpec,
			"%s.insecureSkipVerify: %s logs in to servers that it did not verify, also with tls: Required, so that whoever can redirect its connections obtains the password: set it to true, or use another tool",
			field, w.Tool.Name)
	}
	return nil
}
