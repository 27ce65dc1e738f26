using System;
using System.Collections;
using System.Collections.Generic;
using System.Data;
using System.Data.Common;

namespace Assay
{
    internal sealed class FakeParameter : DbParameter
    {
        public override DbType DbType { get; set; }

        public override ParameterDirection Direction { get; set; }

        public override bool IsNullable { get; set; }

        public override string ParameterName { get; set; }

        public override int Size { get; set; }

        public override string SourceColumn { get; set; }

        public override bool SourceColumnNullMapping { get; set; }

        public override object Value { get; set; }

        public override void ResetDbType() { }
    }

    /// <summary>The parameters of a command, in a list.</summary>
    internal sealed class FakeParameters : DbParameterCollection
    {
        private readonly List<FakeParameter> list = new List<FakeParameter>();

        public override int Count
        {
            get { return list.Count; }
        }

        public override object SyncRoot
        {
            get { return list; }
        }

        public override int Add(object value)
        {
            list.Add((FakeParameter)value);
            return list.Count - 1;
        }

        public override void AddRange(Array values)
        {
            foreach (var value in values) Add(value);
        }

        public override void Clear()
        {
            list.Clear();
        }

        public override bool Contains(object value)
        {
            return IndexOf(value) >= 0;
        }

        public override bool Contains(string value)
        {
            return IndexOf(value) >= 0;
        }

        public override void CopyTo(Array array, int index)
        {
            ((ICollection)list).CopyTo(array, index);
        }

        public override IEnumerator GetEnumerator()
        {
            return list.GetEnumerator();
        }

        public override int IndexOf(object value)
        {
            return list.IndexOf((FakeParameter)value);
        }

        public override int IndexOf(string parameterName)
        {
            return list.FindIndex(parameter => parameter.ParameterName == parameterName);
        }

        public override void Insert(int index, object value)
        {
            list.Insert(index, (FakeParameter)value);
        }

        public override void Remove(object value)
        {
            list.Remove((FakeParameter)value);
        }

        public override void RemoveAt(int index)
        {
            list.RemoveAt(index);
        }

        public override void RemoveAt(string parameterName)
        {
            list.RemoveAt(IndexOf(parameterName));
        }

        protected override DbParameter GetParameter(int index)
        {
            return list[index];
        }

        protected override DbParameter GetParameter(string parameterName)
        {
            return list[IndexOf(parameterName)];
        }

        protected override void SetParameter(int index, DbParameter value)
        {
            list[index] = (FakeParameter)value;
        }

        protected override void SetParameter(string parameterName, DbParameter value)
        {
            list[IndexOf(parameterName)] = (FakeParameter)value;
        }
    }
}
