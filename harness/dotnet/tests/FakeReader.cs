using System;
using System.Collections;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>Hands over result sets from memory.</summary>
    internal sealed class FakeReader : DbDataReader
    {
        private readonly List<List<object[]>> sets;
        private int set;
        private int row = -1;

        public FakeReader(List<List<object[]>> sets)
        {
            this.sets = sets;
        }

        public override int Depth
        {
            get { return 0; }
        }

        public override int FieldCount
        {
            get { return set < sets.Count && sets[set].Count > 0 ? sets[set][0].Length : 0; }
        }

        public override bool HasRows
        {
            get { return set < sets.Count && sets[set].Count > 0; }
        }

        public override bool IsClosed
        {
            get { return false; }
        }

        public override int RecordsAffected
        {
            get { return -1; }
        }

        public override object this[int ordinal]
        {
            get { return GetValue(ordinal); }
        }

        public override object this[string name]
        {
            get { throw new NotSupportedException(); }
        }

        public override bool Read()
        {
            return set < sets.Count && ++row < sets[set].Count;
        }

        public override bool NextResult()
        {
            row = -1;
            return ++set < sets.Count;
        }

        public override object GetValue(int ordinal)
        {
            return sets[set][row][ordinal];
        }

        public override int GetValues(object[] values)
        {
            sets[set][row].CopyTo(values, 0);
            return values.Length;
        }

        public override bool IsDBNull(int ordinal)
        {
            return GetValue(ordinal) is DBNull;
        }

        public override string GetDataTypeName(int ordinal)
        {
            throw new NotSupportedException();
        }

        public override Type GetFieldType(int ordinal)
        {
            throw new NotSupportedException();
        }

        public override string GetName(int ordinal)
        {
            throw new NotSupportedException();
        }

        public override int GetOrdinal(string name)
        {
            throw new NotSupportedException();
        }

        public override long GetBytes(int ordinal, long dataOffset, byte[] buffer, int bufferOffset, int length)
        {
            throw new NotSupportedException();
        }

        public override long GetChars(int ordinal, long dataOffset, char[] buffer, int bufferOffset, int length)
        {
            throw new NotSupportedException();
        }

        public override IEnumerator GetEnumerator()
        {
            throw new NotSupportedException();
        }

        public override bool GetBoolean(int ordinal)
        {
            return (bool)GetValue(ordinal);
        }

        public override byte GetByte(int ordinal)
        {
            return (byte)GetValue(ordinal);
        }

        public override char GetChar(int ordinal)
        {
            return (char)GetValue(ordinal);
        }

        public override DateTime GetDateTime(int ordinal)
        {
            return (DateTime)GetValue(ordinal);
        }

        public override decimal GetDecimal(int ordinal)
        {
            return (decimal)GetValue(ordinal);
        }

        public override double GetDouble(int ordinal)
        {
            return (double)GetValue(ordinal);
        }

        public override float GetFloat(int ordinal)
        {
            return (float)GetValue(ordinal);
        }

        public override Guid GetGuid(int ordinal)
        {
            return (Guid)GetValue(ordinal);
        }

        public override short GetInt16(int ordinal)
        {
            return (short)GetValue(ordinal);
        }

        public override int GetInt32(int ordinal)
        {
            return (int)GetValue(ordinal);
        }

        public override long GetInt64(int ordinal)
        {
            return (long)GetValue(ordinal);
        }

        public override string GetString(int ordinal)
        {
            return (string)GetValue(ordinal);
        }
    }
}
