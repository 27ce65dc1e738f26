package main

import (
	"fmt"
	"strconv"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// take copies a result into values of Go and gives its memory back, as the driver asks its users to.
func (r *rows) take(result *mysql.Result) {
	if r != nil && result.HasResultset() {
		if r.row == nil {
			r.width(len(result.Fields))
		}
		for _, fields := range result.Values {
			for i := range fields {
				r.values = append(r.values, goMySQLValue(&fields[i]))
			}
			r.total++
		}
	}
	result.Close()
}

func goMySQLValue(field *mysql.FieldValue) value {
	switch field.Type {
	case mysql.FieldValueTypeSigned:
		return value{kind: integer, integer: field.AsInt64()}
	case mysql.FieldValueTypeUnsigned:
		if n := field.AsUint64(); n>>63 == 0 {
			return value{kind: integer, integer: int64(n)}
		}
		return value{kind: text, text: strconv.FormatUint(field.AsUint64(), 10)}
	case mysql.FieldValueTypeFloat:
		return value{kind: number, number: field.AsFloat64()}
	case mysql.FieldValueTypeString:
		return value{kind: text, text: string(field.AsString())}
	default:
		return value{}
	}
}

// literals is the text for some rows, with their values in it.
func literals(t template, rows [][]any) (string, error) {
	text := make([]byte, 0, len(rows)*(len(t.group)+16*len(t.parts)))
	for i, row := range rows {
		if i > 0 {
			text = append(text, t.separator...)
		}
		for j, part := range t.parts {
			text = append(text, part...)
			if j == len(row) {
				break
			}
			switch v := row[j].(type) {
			case int64:
				text = strconv.AppendInt(text, v, 10)
			case float64:
				text = strconv.AppendFloat(text, v, 'g', -1, 64)
			case string:
				text = append(append(append(text, '\''), mysql.Escape(v)...), '\'')
			default:
				return "", fmt.Errorf("a parameter of type %T cannot be written into a text", v)
			}
		}
	}
	return string(text), nil
}
